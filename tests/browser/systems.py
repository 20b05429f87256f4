"""Systems of any size, the same ones each time: domains with message groups, senders, channels and receivers."""

from __future__ import annotations

from collections.abc import Iterator


def system_files(channels: int, domains: int) -> Iterator[tuple[str, str]]:
    """Yield the files of a registry of five nodes for each channel; every fourth receiver is of another domain."""
    yield "registry.yaml", "registryid: system\nname: A system\n"
    for number in range(channels):
        domain, other = (f"domain{each % domains:02}" for each in (number, number + 1))
        receiver = domain if number % 4 else other
        on = f"protocol: KAFKA\nchannel: {domain}.c{number}\nmessagegroups: [/messagegroups/{domain}.g{number}]\n"
        yield f"messagegroups/{domain}.g{number}/messagegroup.yaml", f"name: Facts {number}\n"
        yield f"messagegroups/{domain}.g{number}/messages/fact{number}.yaml", "description: A fact.\n"
        yield f"endpoints/{domain}.in{number}/endpoint.yaml", f"name: Intake {number}\nusage: [producer]\n{on}"
        for copy in ("a", "b"):
            yield (
                f"endpoints/{receiver}.out{number}{copy}/endpoint.yaml",
                f"name: Outlet {number}{copy}\nusage: [consumer]\n{on}",
            )
