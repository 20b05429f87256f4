"""Message definitions that run: as templates of messages, and as filters that recognise them."""
