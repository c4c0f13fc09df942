"""What holds for all tests of the runtime."""

from hypothesis import settings

settings.register_profile("runtime", deadline=None)  # a busy machine is no fault of the code
settings.load_profile("runtime")
