"""The console: a page without a build, which a browser loads from a server over HTTP."""
