CREATE TABLE labels (
    status text NOT NULL CHECK (status = 'open'),
    short varchar(9) NOT NULL CHECK (short = 'paid' AND short <> ''),
    CONSTRAINT known CHECK (short IN ('paid'))
);
