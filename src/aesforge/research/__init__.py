# SPDX-License-Identifier: Apache-2.0
"""What is built for study and not for products: the papers, margins, faults, attacks, the demo."""
