"""The training loop: a decaying learning rate, averaged weights, and checkpoints to resume from."""

import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import torch
from torch import Tensor, nn

Batch = TypeVar("Batch")


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """Length, learning rate and checkpoint folder of a training run."""

    folder: Path
    name: str
    steps: int
    rate: float = 3e-3
    decay: float = 1e-4
    warm_steps: int = 200
    keep_every: int = 250
    """Steps between checkpoints."""

    @property
    def checkpoint(self) -> Path:
        """The checkpoint file."""
        return self.folder / f"{self.name}.pt"


def train(
    net: nn.Module,
    batches: Iterator[Batch],
    loss_of: Callable[[nn.Module, Batch], dict[str, Tensor]],
    plan: TrainingPlan,
) -> nn.Module:
    """Train from the checkpoint or from scratch, and return the averaged network."""
    optimiser = torch.optim.AdamW(net.parameters(), plan.rate, weight_decay=plan.decay)
    averaged = deepcopy(net)
    step = _resumed(plan, net, averaged, optimiser)
    shown: dict[str, float] = {}
    since, counted = time.monotonic(), 0
    net.train()
    while step < plan.steps:
        for group in optimiser.param_groups:
            group["lr"] = _rate(step, plan)
        losses = loss_of(net, next(batches))
        optimiser.zero_grad(set_to_none=True)
        torch.stack(list(losses.values())).sum().backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        step, counted = step + 1, counted + 1
        _average(averaged, net, min(0.998, step / (step + 20)))
        for name, value in losses.items():
            shown[name] = shown.get(name, float(value.detach())) * 0.98 + 0.02 * float(value.detach())
        if step % 50 == 0:
            pace = counted / (time.monotonic() - since)
            print(
                f"{plan.name} {step}/{plan.steps} {pace:.2f} steps/s",
                *(f"{k} {v:.4f}" for k, v in shown.items()),
                flush=True,
            )
        if step % plan.keep_every == 0 or step == plan.steps:
            _keep(plan, net, averaged, optimiser, step)
    return averaged.eval()


def _rate(step: int, plan: TrainingPlan) -> float:
    """Linear warm-up, then cosine decay."""
    if step < plan.warm_steps:
        return plan.rate * (step + 1) / plan.warm_steps
    progress = (step - plan.warm_steps) / max(1, plan.steps - plan.warm_steps)
    return plan.rate * (0.5 + 0.5 * float(torch.cos(torch.tensor(torch.pi * min(1.0, progress))))) + 1e-6


@torch.no_grad()
def _average(averaged: nn.Module, net: nn.Module, keep: float) -> None:
    for old, new in zip(averaged.state_dict().values(), net.state_dict().values(), strict=True):
        if old.dtype.is_floating_point:
            old.mul_(keep).add_(new, alpha=1 - keep)
        else:
            old.copy_(new)


def _keep(plan: TrainingPlan, net: nn.Module, averaged: nn.Module, optimiser: torch.optim.Optimizer, step: int) -> None:
    part = plan.checkpoint.with_suffix(".part")
    state = {"net": net.state_dict(), "averaged": averaged.state_dict(), "optimiser": optimiser.state_dict()}
    torch.save(state | {"step": step}, part)
    part.rename(plan.checkpoint)


def _resumed(plan: TrainingPlan, net: nn.Module, averaged: nn.Module, optimiser: torch.optim.Optimizer) -> int:
    plan.folder.mkdir(parents=True, exist_ok=True)
    if not plan.checkpoint.exists():
        return 0
    state = torch.load(plan.checkpoint, weights_only=True)
    net.load_state_dict(state["net"])
    averaged.load_state_dict(state["averaged"])
    optimiser.load_state_dict(state["optimiser"])
    print(f"{plan.name}: going on from step {state['step']}", flush=True)
    return int(state["step"])
