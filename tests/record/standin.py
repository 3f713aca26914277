"""Stand-ins for the modules that a parser's package imports and that parsing does not need.

`install` puts an import hook in place. A module that it names, or one below it, is empty, and each name in it is an
object that bears all that is done with it while modules are imported: it can be called, indexed, inherited from, used
as a decorator or in the annotation of a pydantic model. It has no meaning. A parser that needed one of these would fail
or differ from the outcomes that are known already, which is how the recorder is checked.
"""

import importlib.abc
import importlib.machinery
import sys
import types


class StandIn:
    def __init__(self, name):
        self.__name__ = self.__qualname__ = name
        self.__module__ = "standin"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = StandIn(name)
        setattr(self, name, made)
        return made

    def __call__(self, *args, **kwargs):
        # As a decorator it leaves the function or class as it is.
        if len(args) == 1 and isinstance(args[0], (types.FunctionType, type)):
            return args[0]
        return self

    def __mro_entries__(self, _bases):
        return ()

    def __instancecheck__(self, _instance):
        return False

    def __subclasscheck__(self, _class):
        return False

    def __get_pydantic_core_schema__(self, _source, _handler):
        from pydantic_core import core_schema

        return core_schema.any_schema()

    def __getitem__(self, _key):
        return self

    def __or__(self, _other):
        return self

    __ror__ = __or__

    def __iter__(self):
        return iter(())

    def __enter__(self):
        return self

    def __exit__(self, *_args):
        return None

    def __bool__(self):
        return False

    def __lt__(self, _other):
        return False

    __gt__ = __le__ = __ge__ = __lt__


class _Module(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = StandIn(name)
        setattr(self, name, made)
        return made


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, names):
        self.names = names

    def find_spec(self, name, _path, _target=None):
        if any(name == known or name.startswith(known + ".") for known in self.names):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        module = _Module(spec.name)
        module.__path__ = []
        return module

    def exec_module(self, module):
        pass


def install(names, **given):
    """Let each import of one of these modules, or of a module below one, give a stand-in; `given` are modules that
    have some content, by their name with `__` for dots."""
    sys.meta_path.insert(0, _Finder(tuple(names)))
    for name, content in given.items():
        module = _Module(name.replace("__", "."))
        module.__path__ = []
        module.__dict__.update(content)
        sys.modules[module.__name__] = module
