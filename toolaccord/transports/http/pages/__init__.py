"""Pages for people: the console, and a viewer of the OpenAPI document."""
