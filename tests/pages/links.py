"""What a built page links to and loads."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import unquote, urljoin, urlsplit

SITE = "http://site"
# Elements whose address a browser fetches by itself.
LOADING = {"img": "src", "script": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src"}
LOADING |= {"embed": "src", "object": "data", "link": "href"}
# Links that only say something about the page.
INERT_RELATIONS = {"canonical", "next", "prev", "alternate", "describedby"}


@dataclass
class Links(HTMLParser):
    """The ids of a page, what it links to, and what it loads."""

    ids: set[str] = field(default_factory=set)
    linked: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin as a parser."""
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note ids and addresses."""
        given = {name: value or "" for name, value in attrs}
        self.ids |= {given["id"]} if "id" in given else set()
        if tag == "a" and "href" in given:
            self.linked.append(given["href"])
        if tag in LOADING and LOADING[tag] in given and given.get("rel", "").strip() not in INERT_RELATIONS:
            self.loaded.append(given[LOADING[tag]])


def links_of(html: str) -> Links:
    """Return the links of a page."""
    links = Links()
    links.feed(html)
    links.close()
    return links


def target(page: str, href: str) -> tuple[str, str] | None:
    """Return the file below the site's start that a link on a page means, and its fragment; None if it leaves."""
    parts = urlsplit(urljoin(f"{SITE}/{page}", href))
    if f"{parts.scheme}://{parts.netloc}" != SITE:
        return None
    path = unquote(parts.path).lstrip("/")
    return (f"{path}index.html" if path.endswith("/") or not path else path), parts.fragment
