# SPDX-License-Identifier: Apache-2.0
"""Show measurements: a page that needs no network, tables for programs, plots for papers.

`collect` gathers measurements, `page` renders them, `export` gives CSV and JSON, `plot` draws for
papers, `table` holds the columns and the Pareto front. Nothing is imported here, so that the
command line stays instant.
"""
