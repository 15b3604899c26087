# SPDX-License-Identifier: Apache-2.0
"""What the key schemes of Liu, Xu and Yuan (2014) are worth, by experiment.

The paper says that its key expansion multiplies the work of finding the key by up to 2^361 (Sec.
4.2, equation 6). `evaluate` carries the attacks out; `print_evaluation` shows what came of them.
Every random choice follows from the seed.
"""

from aesforge.research.security.experiments import Evaluation, evaluate
from aesforge.research.security.show import print_evaluation

__all__ = ["Evaluation", "evaluate", "print_evaluation"]
