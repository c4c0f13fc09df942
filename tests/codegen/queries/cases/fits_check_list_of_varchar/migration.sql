CREATE TABLE labels (status varchar(10) NOT NULL CHECK (status IN ('open', 'paid')));
