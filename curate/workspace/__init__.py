"""A workspace on disk, and the compositions of stages that both front ends call."""
