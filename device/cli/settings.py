"""`krupier settings`: shows and changes settings."""

import json
import os
import sys
from typing import Annotated

import typer

from device.cli.inputs import refusing
from device.plain import plain
from device.settings import HINTS, KEYS, SYSTEM_FILE, Settings, config_file, find_settings, settings_text, toml_value
from device.settings_file import save_setting

settings = typer.Typer(help="All settings, and where they are.", invoke_without_command=True)


def chosen(**options: object) -> Settings:
    """The settings for a command; options that are None were not given."""
    return find_settings(os.environ, options).settings


@settings.callback(invoke_without_command=True)
def settings_or_show(context: typer.Context) -> None:
    """All settings, and where they are."""
    if context.invoked_subcommand is None:
        show()


@settings.command()
def show(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Print all settings in the form of a settings file, each with its meaning and origin."""
    with refusing():
        found = find_settings(os.environ)
        if not as_json:
            sys.stdout.write(settings_text(found))
            return
        rows = {}
        for name in KEYS:
            value = getattr(found.settings, name)
            plain_value = value if HINTS[name] in (bool, int, float, str) else json.loads(toml_value(value))
            rows[name] = {"value": plain_value, "from": found.origins.get(name)}
        typer.echo(json.dumps(rows, indent=1))


@settings.command()
def path() -> None:
    """Print the paths of the settings files; the first one wins."""
    for file in (config_file(os.environ), SYSTEM_FILE):
        typer.echo(f"{plain(str(file))}{'' if file.exists() else ' (not there)'}")


@settings.command("set")
def set_one(
    name: Annotated[str, typer.Argument(help="Name of the setting, such as camera.")],
    value: Annotated[str, typer.Argument(help="Its new value, such as usb:1.")],
) -> None:
    """Change one setting in your settings file; everything else there stays as it is."""
    with refusing():
        file = config_file(os.environ)
        save_setting(file, name, value)
    typer.echo(f"{plain(str(file))}: {name} set")


@settings.command()
def unset(name: Annotated[str, typer.Argument(help="Name of the setting, such as camera.")]) -> None:
    """Restore the default of a setting."""
    with refusing():
        file = config_file(os.environ)
        save_setting(file, name, None)
    typer.echo(f"{plain(str(file))}: {name} as by default")
