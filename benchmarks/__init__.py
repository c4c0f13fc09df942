"""What things cost: servers side by side (compare), every tool under load (tools), the compiler (compiler)."""
