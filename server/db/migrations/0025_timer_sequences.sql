-- The core's timers know no contract: those that share a sequence fire in order, whatever it is.
alter table timers rename column contract_id to sequence_id;
