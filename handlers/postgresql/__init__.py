"""Migrations and roles of the databases that servers use."""
