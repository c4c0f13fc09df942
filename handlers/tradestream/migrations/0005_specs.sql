-- Specs that the Learning Agent submits, and implementations by how well they do.

ALTER TABLE strategy_specs ADD COLUMN reasoning text CHECK (char_length(reasoning) <= 10000);

-- Both the list of all specs and that of a source are read from it, without the specs' documents.
CREATE INDEX strategy_specs_by_source ON strategy_specs (source, name, spec_id);

-- These two also find all implementations of a spec, and hold what a mean over them needs.
CREATE INDEX strategy_implementations_best ON strategy_implementations (spec_id, forward_sharpe DESC NULLS LAST, impl_id);
CREATE INDEX strategy_implementations_best_by_status
    ON strategy_implementations (spec_id, status, forward_sharpe DESC NULLS LAST, impl_id);
DROP INDEX strategy_implementations_of_spec;
