"""``mixsafe contest``."""
