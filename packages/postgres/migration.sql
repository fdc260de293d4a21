-- The live documents, one row for each name. The version is the document's own: 0 where it has none.
CREATE TABLE IF NOT EXISTS "understudy_chains" (
  name text PRIMARY KEY,
  document jsonb NOT NULL,
  version bigint NOT NULL GENERATED ALWAYS AS (
    CASE
      WHEN jsonb_typeof(document -> 'version') IS DISTINCT FROM 'number' THEN 0
      WHEN (document ->> 'version')::numeric NOT BETWEEN 1 AND 9007199254740991 THEN 0
      WHEN (document ->> 'version')::numeric % 1 <> 0 THEN 0
      ELSE (document ->> 'version')::numeric::bigint
    END
  ) STORED,
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- What became of each document, oldest first by id. 'written': noted by a writer, and judged by no process yet.
CREATE TABLE IF NOT EXISTS "understudy_chains_history" (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  version bigint,
  subject text NOT NULL,
  identity text NOT NULL,
  written boolean NOT NULL DEFAULT false,
  entry json NOT NULL,
  noted_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT "understudy_chains_history_identity" UNIQUE (name, identity)
);
