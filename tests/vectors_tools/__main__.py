"""``python -m tests.vectors_tools``: writes the schema and all vectors anew."""

from tests.vectors_tools.make_vectors import write_all

if __name__ == "__main__":
    for path in write_all():
        print(path)
