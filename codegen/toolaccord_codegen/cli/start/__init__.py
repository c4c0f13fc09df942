"""Commands that start a project, a server, a tool or a version; drafts of `import`."""
