"""Learning: definitions out of messages."""

from __future__ import annotations

from xregit.document.learner.brokers import Limits
from xregit.document.learner.learner import LearnReport, learn
from xregit.document.learner.samples import is_samples

__all__ = ["LearnReport", "Limits", "is_samples", "learn"]
