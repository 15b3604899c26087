# SPDX-License-Identifier: Apache-2.0
"""A design in simulation against published vectors and an independent implementation."""
