"""The admin's theme: the site's name and colours, as the settings of django-unfold."""

from django.templatetags.static import static
from django.utils.translation import gettext_lazy

UNFOLD = {
    "SITE_TITLE": "Softmark",
    "SITE_HEADER": "Softmark",
    "SITE_SUBHEADER": gettext_lazy("Authoring and marks"),
    "SITE_URL": "/",
    "SITE_ICON": lambda request: static("design/favicon.svg"),
    "SITE_FAVICONS": [
        {
            "rel": "icon",
            "type": "image/svg+xml",
            "href": lambda request: static("design/favicon.svg"),
        }
    ],
    "STYLES": [lambda request: static("design/admin.css")],
    "SHOW_VIEW_ON_SITE": True,
    "BORDER_RADIUS": "5px",
    # Lightness by step as unfold has it; hue and chroma are those of design/tokens.css.
    "COLORS": {
        "base": {
            "50": "oklch(98.5% 0.005 85)",
            "100": "oklch(96% 0.008 85)",
            "200": "oklch(92% 0.01 85)",
            "300": "oklch(87% 0.011 85)",
            "400": "oklch(71% 0.012 85)",
            "500": "oklch(54% 0.013 260)",
            "600": "oklch(44% 0.015 260)",
            "700": "oklch(36% 0.014 270)",
            "800": "oklch(27% 0.012 280)",
            "900": "oklch(20.5% 0.008 280)",
            "950": "oklch(16% 0.008 280)",
        },
        "primary": {
            "50": "oklch(97.7% 0.012 295)",
            "100": "oklch(95.5% 0.02 295)",
            "200": "oklch(90% 0.045 295)",
            "300": "oklch(84% 0.08 295)",
            "400": "oklch(78% 0.12 295)",
            "500": "oklch(62% 0.18 293)",
            "600": "oklch(47% 0.2 292)",
            "700": "oklch(43% 0.195 292)",
            "800": "oklch(39% 0.19 292)",
            "900": "oklch(33% 0.16 292)",
            "950": "oklch(26% 0.12 292)",
        },
    },
}
