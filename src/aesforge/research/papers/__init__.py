# SPDX-License-Identifier: Apache-2.0
"""The five papers: what they publish, what we measure, and how the two compare.

`published` reads bench/papers.toml, `quantities` says what of ours stands beside a figure,
`compare` judges, `show` prints. `liu2014` holds that paper's equations. Nothing is imported here,
so that the command line stays instant.
"""
