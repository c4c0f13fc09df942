SELECT o.title FROM orders o;
