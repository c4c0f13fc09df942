"""Manifests for Kubernetes, which follow from the contracts."""
