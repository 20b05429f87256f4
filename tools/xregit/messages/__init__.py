"""Message definitions at work: they make messages, and recognise them."""
