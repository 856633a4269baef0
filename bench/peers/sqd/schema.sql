CREATE TABLE "transfer" (
  "id" character varying NOT NULL PRIMARY KEY,
  "block" integer NOT NULL,
  "timestamp" integer NOT NULL,
  "transaction" text NOT NULL,
  "token" text NOT NULL,
  "from" text NOT NULL,
  "to" text NOT NULL,
  "amount" numeric NOT NULL
);
CREATE TABLE "balance" (
  "id" character varying NOT NULL PRIMARY KEY,
  "token" text NOT NULL,
  "holder" text NOT NULL,
  "amount" numeric NOT NULL
);
