"""Questions to the analyst: what they name, and the plan or the rejection that follows."""
