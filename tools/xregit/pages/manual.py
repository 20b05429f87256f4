"""The reference part of the site: what the model allows, type by type, and what the rules check."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from xregit.model.language import display_name
from xregit.pages.addresses import MODEL, RULES
from xregit.pages.context import titled
from xregit.pages.links import Link, href
from xregit.pages.page import Page
from xregit.pages.properties import written
from xregit.pages.prose import plain, summary
from xregit.pages.renderer import anchor, render
from xregit.rules import RULES as ALL_RULES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xregit.model.language import AttributeModel, GroupModel, ResourceModel
    from xregit.pages.context import SiteContext
    from xregit.rules import Rule

MAX_DEPTH = 8
_SECTION = re.compile(r"<h4>([^<]*)</h4>")
# What rules are about, where the name of a type does not say it.
ABOUT = {
    "text": "files and their text",
    "model": "attributes, as the model allows them",
    "settings": "xregit.yaml",
    "entity": "any entity",
    "resource": "any resource",
    "waivers": "waivers.yaml",
    "change": "what changes between two commits",
    "dated": "any entity, on the day of the check",
    "sound message": "messages of a registry without errors",
    "import": "documents that become files",
    "suppression": "comments that accept a finding",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One attribute that the model allows; ``path`` are the names of the objects it stands in."""

    path: tuple[str, ...]
    name: str
    type: str
    required: bool
    default: str
    values: tuple[str, ...]
    description: Markup
    source: str


@dataclass(frozen=True, slots=True)
class Section:
    """A table of attributes, those of a type or those that one value of an attribute brings into play."""

    title: str
    id: str
    rows: tuple[Row, ...]


def model_pages(book: SiteContext) -> Iterator[Page]:
    """Give the index of the model's types and a page for each."""
    model = book.registry.model
    yield _model_page(book)
    for group in model.groups.values():
        yield _type_page(book, group, f"{MODEL}{group.plural}/", _sections(book, group.attributes, "Attributes"))
        for resource in _own_resources(group):
            sections = _sections(book, resource.attributes, "Attributes")
            meta = _sections(book, resource.metaattributes, "Meta attributes")
            yield _type_page(book, resource, f"{MODEL}{group.plural}/{resource.plural}/", (*sections, *meta))


def _model_page(book: SiteContext) -> Page:
    model = book.registry.model
    types: list[tuple[Link, Markup]] = []
    for group in model.groups.values():
        types.append((Link(titled(group.plural), href(f"{MODEL}{group.plural}/")), book.prose(group.description)))
        for resource in _own_resources(group):
            link = Link(titled(resource.plural), href(f"{MODEL}{group.plural}/{resource.plural}/"))
            types.append((link, book.prose(resource.description)))
    html = render(
        "model.html",
        title="Model",
        crumbs=(Link(book.title, href("")),),
        specversion=model.specversion,
        types=types,
        sections=_sections(book, model.attributes, "Attributes of the registry"),
    )
    return Page(MODEL, "Model", html, description="What a registry may contain", search="model attributes", listed=True)


def rule_pages(book: SiteContext) -> Iterator[Page]:
    """Give the index of all rules and a page for each; nothing if there are no rules."""
    if not ALL_RULES:
        return
    crumbs = (Link(book.title, href("")), Link("Rules", href(RULES)))
    listed = [(Link(rule.name, href(f"{RULES}{rule.name}/")), rule) for rule in ALL_RULES]
    html = render("rules.html", title="Rules", crumbs=crumbs[:1], rules=listed)
    yield Page(RULES, "Rules", html, description="What xregit check looks for", search="rules check", listed=True)
    for rule in ALL_RULES:
        yield _rule_page(book, rule, crumbs)


def _rule_page(book: SiteContext, rule: Rule, crumbs: tuple[Link, ...]) -> Page:
    heading, _, text = rule.doc.partition("\n")
    body = _SECTION.sub(_section_of_page, book.prose(text if heading.startswith("# ") else rule.doc))
    html = render(
        "rule.html",
        title=rule.name,
        crumbs=crumbs,
        rule=rule,
        about=ABOUT.get(rule.about, rule.about),
        summary=book.prose(rule.summary),
        doc=Markup(body),  # noqa: S704 - safe HTML but for its headings
    )
    search = f"{rule.name} {rule.summary}"
    return Page(f"{RULES}{rule.name}/", rule.name, html, description=summary(rule.summary), search=search, parent=RULES)


def _section_of_page(found: re.Match[str]) -> str:
    return f'<h2 id="{anchor(found[1])}">{found[1]}</h2>'


def _type_page(book: SiteContext, model: GroupModel | ResourceModel, at: str, sections: tuple[Section, ...]) -> Page:
    crumbs = (Link(book.title, href("")), Link("Model", href(MODEL)))
    title = titled(model.plural)
    html = render(
        "type.html",
        title=title,
        crumbs=crumbs,
        singular=display_name(model.singular),
        description=book.prose(model.description),
        sections=sections,
    )
    names = " ".join(row.name for section in sections for row in section.rows)
    description = summary(model.description) or f"Attributes of {title.lower()}"
    return Page(
        at,
        f"{title} (model)",
        html,
        description=description,
        search=f"{names} {plain(model.description)}",
        parent=MODEL,
    )


def _own_resources(group: GroupModel) -> list[ResourceModel]:
    shared = {name.rsplit("/", 1)[-1] for name in group.ximportresources}
    return [resource for resource in group.resources.values() if resource.plural not in shared]


def _sections(book: SiteContext, attributes: Mapping[str, AttributeModel], title: str) -> tuple[Section, ...]:
    """Return the table of attributes, then one for each value of an attribute that brings further ones."""
    own = {name: attribute for name, attribute in attributes.items() if not attribute.core}
    core = {name: attribute for name, attribute in attributes.items() if attribute.core}
    sections = [*_section(book, own, title), *_conditional(book, attributes, (), "")]
    return (*sections, *_section(book, core, f"{title} of the core specification" if own else title))


def _section(book: SiteContext, attributes: Mapping[str, AttributeModel], title: str) -> Iterator[Section]:
    if attributes:
        yield Section(title, anchor(title), tuple(_rows(book, attributes, ())))


def _conditional(
    book: SiteContext, attributes: Mapping[str, AttributeModel], path: tuple[str, ...], condition: str
) -> Iterator[Section]:
    for name, attribute in attributes.items():
        here = ".".join((*path, name))
        for value, more in attribute.ifvalues.items():
            case = f"{here} is {'anything else' if value == '*' else value}"
            stated = f"{condition} and {case}" if condition else f"If {case}"
            yield Section(stated, anchor(stated), tuple(_rows(book, more, path)))
            yield from _conditional(book, more, path, stated)
        if len(path) < MAX_DEPTH:
            yield from _conditional(book, attribute.attributes, (*path, name), condition)


def _rows(book: SiteContext, attributes: Mapping[str, AttributeModel], path: tuple[str, ...]) -> Iterator[Row]:
    for attribute in attributes.values():
        yield _row(book, attribute, path)
        if len(path) < MAX_DEPTH and not attribute.property:
            yield from _rows(book, attribute.attributes, (*path, attribute.name))
        if attribute.item is not None and not attribute.item.property:
            mark = "[]" if attribute.type == "array" else ".*"
            yield from _rows(book, attribute.item.attributes, (*path, attribute.name + mark))


def _row(book: SiteContext, attribute: AttributeModel, path: tuple[str, ...]) -> Row:
    item = f" of {_type(attribute.item)}" if attribute.item is not None else ""
    return Row(
        path=path,
        name=attribute.name,
        type=f"{_type(attribute)}{item}",
        required=attribute.required,
        default="" if attribute.default is None else written(attribute.default),
        values=tuple(written(value) for value in attribute.enum),
        description=book.prose(attribute.description),
        source=attribute.source,
    )


def _type(attribute: AttributeModel) -> str:
    """Return the type's name; of a message property, that of its value."""
    return f"{attribute.property} property" if attribute.property else attribute.type
