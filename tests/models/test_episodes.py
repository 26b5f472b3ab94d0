"""Training episodes: consistent answers, strangers that were not taught, covers that the map shows."""

import numpy as np
import pytest

from models.synth.foreign.decks import CardPicture, DeckArt, at_1_px_per_mm, indistinct, random_deck_art
from models.training.episodes import QUERIES, StudiedDeck, _mixture, episodes, make_episode, studied
from models.training.views import CardViews, PhotoConditions, outline_of, printed_card

PLAIN = PhotoConditions(4.0, (1.0, 1.0, 1.0), 1.0, 0.0, 1.0, 0.0, (0.0, 0.0), 0.0, 0, 0.0, 0.0)


@pytest.fixture(scope="module")
def views() -> CardViews:
    return CardViews(np.random.default_rng(0))


@pytest.fixture(scope="module")
def deck() -> StudiedDeck:
    return studied(random_deck_art(np.random.default_rng(2), "numbers"))


def test_an_episode_is_consistent(views: CardViews, deck: StudiedDeck) -> None:
    episode = make_episode(np.random.default_rng(4), views, deck)
    count = len(episode.taught)
    assert episode.taught.shape == (count, 176, 128, 3)
    assert episode.crops.shape == (QUERIES, 176, 128, 3)
    assert episode.seen.shape == (QUERIES, 44, 32)
    assert set(np.unique(episode.seen)) <= {0, 255}
    right = episode.right()
    assert right.shape == (QUERIES, 2 * count + 1)
    assert right.any(1).all()
    strangers = episode.face < 0
    assert (right[:, -1] == strangers).all()
    assert 8 <= strangers.sum() <= 20
    known = np.flatnonzero(~strangers)
    assert right[known, 2 * episode.face[known] + episode.turned[known]].all()


def test_the_same_seed_gives_the_same_episode() -> None:
    one, two = (next(episodes(np.random.default_rng(9))) for _ in range(2))
    assert np.array_equal(one.crops, two.crops)
    assert np.array_equal(one.taught, two.taught)


def test_a_six_is_a_nine_upside_down(views: CardViews) -> None:
    rng = np.random.default_rng(1)
    pictures = rng.integers(0, 255, (24, 352, 252, 3), np.uint8)
    pictures[1] = pictures[0][::-1, ::-1]
    pictures[2][176:] = pictures[2][:176][::-1, ::-1]
    faces = tuple(CardPicture(str(number), pixels) for number, pixels in enumerate(pictures))
    made = studied(DeckArt("numbers", (63, 88), 3.0, faces, (pictures[-1],)))
    found = {(int(row), int(column)) for row, column in np.argwhere(made.turned_alike)}
    assert found == {(0, 1), (1, 0), (2, 2)}
    episode = make_episode(rng, views, made)
    assert (episode.alike == episode.alike.T).all()


def test_a_view_in_plain_light_is_the_card_itself(views: CardViews) -> None:
    card = np.full((352, 252, 3), (40, 90, 200), np.uint8)
    card[:176] = (210, 60, 30)
    printed = printed_card(card, outline_of((252, 352), 0), 63.0)
    for turned in (False, True):
        view = views.take(np.random.default_rng(3), printed, PLAIN, turned, error=0.1)
        top, bottom = view.pixels[40, 64].astype(int), view.pixels[140, 64].astype(int)
        first, second = ((210, 60, 30), (40, 90, 200))[:: -1 if turned else 1]
        # The light still falls off a little across every card.
        assert np.abs(top - first).max() < 35
        assert np.abs(bottom - second).max() < 35
        assert view.visible > 0.97


def test_a_cover_hides_what_the_map_says(views: CardViews) -> None:
    alpha = outline_of((252, 352), 0)
    white, black = (printed_card(np.full((352, 252, 3), level, np.uint8), alpha, 63.0) for level in (250, 5))
    seen_levels, hidden_levels = [], []
    for seed in range(12):
        view = views.take(np.random.default_rng(seed), white, PLAIN, covers=(black,))
        grey = view.pixels[2::4, 2::4].mean(2)[3:-3, 3:-3]
        seen_levels += list(grey[view.seen[3:-3, 3:-3] > 0])
        hidden_levels += list(grey[view.seen[3:-3, 3:-3] == 0])
    assert np.median(seen_levels) > 180
    assert np.median(hidden_levels) < 60


def test_a_mixture_of_two_faces_is_none_of_the_deck(deck: StudiedDeck) -> None:
    mixtures = [_mixture(np.random.default_rng(seed), deck) for seed in range(6)]
    found = [mixture for mixture in mixtures if mixture is not None]
    assert len(found) >= 4
    for mixture in found:
        small = at_1_px_per_mm(np.ascontiguousarray(mixture.levels[0][:, :, :3]))
        assert not indistinct(deck.small, small).any()
