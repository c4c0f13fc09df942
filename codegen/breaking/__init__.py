"""The breaking-change judge: two states of a contracts folder compared, and whom the difference hurts."""
