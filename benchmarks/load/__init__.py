"""A class of light visitors, and what they cost the server: for the benchmarks and for `tools/reliability`."""
