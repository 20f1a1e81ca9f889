"""Parts of the page that several places or every tab use, with their scripts and style sheets."""
