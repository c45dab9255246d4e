"""Options of datasets, and optional values whose type comes later."""

import ferrograph as fg
import pytest


def test_options_have_all_documented_settings():
    options = fg.data.Options()
    options.experimental_external_state_policy = fg.data.experimental.ExternalStatePolicy.IGNORE
    options.experimental_service.pinned = True
    options.experimental_distribute.auto_shard_policy = fg.data.experimental.AutoShardPolicy.DATA
    options.autotune.autotune_algorithm = fg.data.experimental.AutotuneAlgorithm.STAGE_BASED
    found = fg.data.Dataset.range(3).with_options(options).map(lambda x: x).options()
    assert found.experimental_external_state_policy.name == "IGNORE"
    assert found.experimental_distribute.auto_shard_policy == 2
    assert found.autotune.autotune_algorithm.value == 4 and found.experimental_service.pinned
    with pytest.raises(AttributeError, match="no option"):
        options.no_such = 1


def test_an_optional_whose_type_comes_later():
    """A loop may begin with one that is told its type when the body is traced."""

    @fg.function(autograph=False)
    def last(iterator):
        found = fg.experimental.Optional.empty(None)

        def body(step, held, following):
            def some():
                made = fg.experimental.Optional.from_value(following.get_value() * 10)
                found._element_spec = made.element_spec
                return made

            def none():
                held._element_spec = found._element_spec
                return held

            held = fg.cond(following.has_value(), some, none)
            return step + 1, held, iterator.get_next_as_optional()

        def goes_on(step, held, following):
            return fg.logical_and(step < 5, following.has_value())

        start = (fg.constant(0), found, iterator.get_next_as_optional())
        _, held, _ = fg.while_loop(goes_on, body, start)
        held._element_spec = found.element_spec
        return held

    held = last(iter(fg.data.Dataset.range(3)))
    assert int(held.get_value()) == 20
    assert not last(iter(fg.data.Dataset.range(0))).has_value()
