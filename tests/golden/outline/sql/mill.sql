-- Copyright (c) 2020 The Mill
--
-- Tables and routines of the mill.
\i types.sql

-- Orders of the mill.
CREATE TABLE IF NOT EXISTS mill.orders (
  id   bigint PRIMARY KEY,
  note text DEFAULT 'a; b',
  price numeric(10, 2)
);

CREATE TEMPORARY TABLE "Odd name" AS SELECT 1;
CREATE INDEX orders_id ON mill.orders (id);
CREATE TYPE mood AS ENUM ('sad', 'ok; fine');

/* Adds up. Slowly. */
CREATE OR REPLACE FUNCTION mill.total(p_id bigint, p_rate numeric(3, 1) DEFAULT 1.0)
RETURNS numeric
LANGUAGE plpgsql AS $body$
DECLARE
  found int := 0;
BEGIN
  -- not the end; yet
  IF p_id > 1 THEN
    PERFORM mill.check_order(p_id, 'it''s');
  END IF;
  RETURN coalesce((SELECT sum(price) FROM mill.orders), 0) * p_rate;
END;
$body$;

create view mill.recent as
select * from mill.orders order by id desc limit 10;

CREATE MATERIALIZED VIEW daily AS SELECT date_trunc('day', now());

CREATE FUNCTION one() RETURNS int AS 'select 1; select 2' LANGUAGE sql;
CREATE TRIGGER touch BEFORE UPDATE ON mill.orders FOR EACH ROW EXECUTE FUNCTION mill.touched();

DELIMITER //
CREATE DEFINER=`root`@`localhost` PROCEDURE grind(IN speed INT, OUT done INT)
BEGIN
  DECLARE i INT DEFAULT 0;
  WHILE i < speed DO
    SET i = i + 1;
    CALL turn(i);
  END WHILE;
END //
DELIMITER ;

CREATE PROCEDURE [dbo].[Stop] @speed int = 3, @hard bit
AS
BEGIN
  BEGIN TRANSACTION;
  UPDATE stones SET speed = CASE WHEN @hard = 1 THEN 0 ELSE dbo.half(@speed) END;
  COMMIT;
END
GO

CREATE TABLE [dbo].[stones] ([id] INT IDENTITY(1,1) NOT NULL, [name] nvarchar(20))
GO
