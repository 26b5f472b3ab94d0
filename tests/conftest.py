"""Hypothesis profiles: the suite is the same on every machine; the long run explores."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile("suite", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("long", max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("long" if os.environ.get("KRUPIER_LONG") else "suite")
