# SPDX-License-Identifier: Apache-2.0
"""The five papers: what they publish, what we measure, and how the two compare.

`published` reads bench/papers.toml, `quantities` says what of ours stands beside a figure,
`compare` judges, `show` and `pages` print. `liu2014` and `rahman2010` hold what can be computed
from a paper's own equations. Nothing is imported here, so that the command line stays instant.
"""
