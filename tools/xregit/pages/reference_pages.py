"""The reference: what the model allows, type by type, and what the rules check."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from xregit.catalog.entities import Place
from xregit.catalog.origin import Origin
from xregit.catalog.registry import Registry
from xregit.catalog.settings import Settings
from xregit.model.language import AttributeModel, GroupModel, ResourceModel, type_label
from xregit.model.loader import builtin
from xregit.pages.attributes import to_text
from xregit.pages.context import SiteContext, type_title
from xregit.pages.links import MODEL, RULES, Link, href
from xregit.pages.page import Page, anchor
from xregit.pages.prose import plain, summary
from xregit.pages.renderer import render
from xregit.rules import RULES as ALL_RULES
from xregit.rules import Rule

MAX_DEPTH = 8
_SECTION = re.compile(r"<h4>([^<]*)</h4>")
# The subjects of rules in words, where the name of a type does not say it.
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
    """One attribute that the model allows; ``path`` are the names of the objects around it."""

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
    """A table of attributes: those of a type, or those that one value of an attribute adds."""

    title: str
    id: str
    rows: tuple[Row, ...]


def empty_registry(title: str) -> Registry:
    """Return a registry of the specification's model without entities, for a site that has the reference alone."""
    origin = Origin(Path(), Path(__file__))
    return Registry(builtin(), {}, {}, Place(""), origin, settings=Settings(title=title))


def model_pages(site: SiteContext) -> Iterator[Page]:
    """Yield the index of the model's types and a page for each."""
    model = site.registry.model
    yield _model_page(site)
    for group in model.groups.values():
        yield _type_page(site, group, f"{MODEL}{group.plural}/", _sections(site, group.attributes, "Attributes"))
        for resource in _own_resources(group):
            sections = _sections(site, resource.attributes, "Attributes")
            meta = _sections(site, resource.metaattributes, "Meta attributes")
            yield _type_page(site, resource, f"{MODEL}{group.plural}/{resource.plural}/", (*sections, *meta))


def _model_page(site: SiteContext) -> Page:
    model = site.registry.model
    types: list[tuple[Link, Markup]] = []
    for group in model.groups.values():
        types.append((Link(type_title(group.plural), href(f"{MODEL}{group.plural}/")), site.prose(group.description)))
        for resource in _own_resources(group):
            link = Link(type_title(resource.plural), href(f"{MODEL}{group.plural}/{resource.plural}/"))
            types.append((link, site.prose(resource.description)))
    html = render(
        "model.html",
        title="Model",
        crumbs=(Link(site.title, href("")),),
        specversion=model.specversion,
        types=types,
        sections=_sections(site, model.attributes, "Attributes of the registry"),
    )
    return Page(MODEL, "Model", html, description="What a registry may contain", search="model attributes", listed=True)


def rule_pages(site: SiteContext) -> Iterator[Page]:
    """Yield the index of all rules and a page for each."""
    crumbs = (Link(site.title, href("")), Link("Rules", href(RULES)))
    rules = [(Link(rule.name, href(f"{RULES}{rule.name}/")), rule) for rule in ALL_RULES]
    html = render("rules.html", title="Rules", crumbs=crumbs[:1], rules=rules)
    yield Page(RULES, "Rules", html, description="What xregit check looks for", search="rules check", listed=True)
    for rule in ALL_RULES:
        yield _rule_page(site, rule, crumbs)


def _rule_page(site: SiteContext, rule: Rule, crumbs: tuple[Link, ...]) -> Page:
    heading, _, text = rule.doc.partition("\n")
    doc = _SECTION.sub(
        lambda match: f'<h2 id="{anchor(match[1])}">{match[1]}</h2>',
        site.prose(text if heading.startswith("# ") else rule.doc),
    )
    html = render(
        "rule.html",
        title=rule.name,
        crumbs=crumbs,
        rule=rule,
        about=ABOUT.get(rule.about, rule.about),
        summary=site.prose(rule.summary),
        doc=Markup(doc),  # noqa: S704 - safe HTML but for its headings
    )
    search = f"{rule.name} {rule.summary}"
    return Page(f"{RULES}{rule.name}/", rule.name, html, description=summary(rule.summary), search=search, parent=RULES)


def _type_page(
    site: SiteContext, model: GroupModel | ResourceModel, page_address: str, sections: tuple[Section, ...]
) -> Page:
    crumbs = (Link(site.title, href("")), Link("Model", href(MODEL)))
    title = type_title(model.plural)
    html = render(
        "type.html",
        title=title,
        crumbs=crumbs,
        singular=type_label(model.singular),
        description=site.prose(model.description),
        sections=sections,
    )
    names = " ".join(row.name for section in sections for row in section.rows)
    description = summary(model.description) or f"Attributes of {title.lower()}"
    return Page(
        page_address,
        f"{title} (model)",
        html,
        description=description,
        search=f"{names} {plain(model.description)}",
        parent=MODEL,
    )


def _own_resources(group: GroupModel) -> list[ResourceModel]:
    shared = {name.rsplit("/", 1)[-1] for name in group.ximportresources}
    return [resource for resource in group.resources.values() if resource.plural not in shared]


def _sections(site: SiteContext, attributes: Mapping[str, AttributeModel], title: str) -> tuple[Section, ...]:
    """Return the table of attributes, then one for each value of an attribute that adds further ones."""
    own = {name: attribute for name, attribute in attributes.items() if not attribute.core}
    core = {name: attribute for name, attribute in attributes.items() if attribute.core}
    sections = [*_section(site, own, title), *_conditional(site, attributes, (), "")]
    return (*sections, *_section(site, core, f"{title} of the core specification" if own else title))


def _section(site: SiteContext, attributes: Mapping[str, AttributeModel], title: str) -> Iterator[Section]:
    if attributes:
        yield Section(title, anchor(title), tuple(_rows(site, attributes, ())))


def _conditional(
    site: SiteContext, attributes: Mapping[str, AttributeModel], path: tuple[str, ...], condition: str
) -> Iterator[Section]:
    for name, attribute in attributes.items():
        for value, more in attribute.ifvalues.items():
            case = f"{'.'.join((*path, name))} is {'anything else' if value == '*' else value}"
            title = f"{condition} and {case}" if condition else f"If {case}"
            yield Section(title, anchor(title), tuple(_rows(site, more, path)))
            yield from _conditional(site, more, path, title)
        if len(path) < MAX_DEPTH:
            yield from _conditional(site, attribute.attributes, (*path, name), condition)


def _rows(site: SiteContext, attributes: Mapping[str, AttributeModel], path: tuple[str, ...]) -> Iterator[Row]:
    for attribute in attributes.values():
        item = f" of {_type(attribute.item)}" if attribute.item is not None else ""
        yield Row(
            path=path,
            name=attribute.name,
            type=f"{_type(attribute)}{item}",
            required=attribute.required,
            default="" if attribute.default is None else to_text(attribute.default),
            values=tuple(map(to_text, attribute.enum)),
            description=site.prose(attribute.description),
            source=attribute.source,
        )
        if len(path) < MAX_DEPTH and not attribute.property:
            yield from _rows(site, attribute.attributes, (*path, attribute.name))
        if attribute.item is not None and not attribute.item.property:
            suffix = "[]" if attribute.type == "array" else ".*"
            yield from _rows(site, attribute.item.attributes, (*path, attribute.name + suffix))


def _type(attribute: AttributeModel) -> str:
    """Return the type's name; of a message property, that of its value."""
    return f"{attribute.property} property" if attribute.property else attribute.type
