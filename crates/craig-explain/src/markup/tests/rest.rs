use expect_test::expect;

use super::check;
use crate::page::Page;

#[test]
fn objects_and_sections_of_rest_are_headings() {
    check(
        "docs/api.rst",
        "\
=========
 The API
=========

.. module:: app
   :synopsis: Nothing.

Client
======

.. class:: Client(url, *, timeout=5, \\
                  retries=3)
   :module: app

   Sends requests. See :class:`~app.http.Response`.

   .. method:: send(data)
               send(data, key)

      Sends ``data`` over the
      :ref:`wire <wires>`.

      :param data: What to send.
      :param int key: Where
         to send it.
      :returns: The answer.
      :raises app.Error: If it fails.
      :rtype: str

   It is closed at the end.

.. autoclass:: Hidden
   :members:

.. autofunction:: retry

   Tries again.

.. c:function:: PyObject *make(int n)

.. c:type:: void (*call)(int n)

.. option:: -v, --verbose

   Says more.

Text of the section.
",
        expect![[r#"

            # The API





            ## Client


            ### `Client(url, *, timeout=5, retries=3)`



            Sends requests. See `Response`.

            #### `send(data)`
            `send(data, key)`

            Sends `data` over the
            wire.

            - `data`: What to send.
            - `key`: Where
              to send it.
            - Returns: The answer.
            - Raises `app.Error`: If it fails.
            - Return type: str
            ####
            It is closed at the end.




            ### `retry`

            Tries again.

            ### `make(int n)` → `PyObject *`

            ### `call(int n)` → `void`

            ### `-v, --verbose`

            Says more.
            ###
            Text of the section.
        "#]],
    );
}

#[test]
fn prose_of_rest_is_markdown() {
    check(
        "docs/guide.rst",
        "\
.. _guide:

Guide
-----

.. A comment
   of two lines.

Call :func:`run` or :meth:`it <app.App.run>`, see :doc:`/start`, :pep:`8` and `the
site <https://x.org/a>`_. A ``*`` is\\ not a \\* [1]_. Links_ and `more links`_,
`name_of` and `some words`; `the class <app.App>`.

`<script>` and `<style>` tags, or
<b>bold</b>, are text; 1 < 2.

Write this::

    x = 1
    y = 2

Then::

  z
End.

.. code-block:: python
   :linenos:

   def f():
       pass

>>> f()
1

>>> f()

.. note:: Take care
   of it.

.. warning::
   :class: big

   Do not.

.. versionadded:: 2.0
   The *x* argument.

.. deprecated:: 3.0

.. rubric:: Footnotes

.. [1] The star.

term
    What it means.

``other`` : type
    - one
    - two

      three

1. First
#. Second
a) Third

-f FILE, --file FILE  Reads a file.

    A quote.

| line
| block

.. image:: x.png
   :alt: nothing

.. only:: html

   Shown.
",
        expect![[r#"


            # Guide





            Call `run` or `it`, see /start, PEP 8 and [the
            site](https://x.org/a). A `*` isnot a \*. Links and more links,
            `name_of` and some words; the class.

            \<script> and \<style> tags, or
            \<b>bold\</b>, are text; 1 < 2.

            Write this:
            ```
            x = 1
            y = 2
            ```
            Then:

                z
            End.



            ```python
            def f():
                pass
            ```
                >>> f()
                1

                >>> f()

            Take care
            of it.




            Do not.

            New in version 2.0:
            The *x* argument.

            Deprecated since version 3.0.

            **Footnotes**

            The star.

            - term:
              What it means.

            - `other` (type):
              - one
              - two

                three

            1. First
            1. Second
            - Third

            - `-f FILE, --file FILE`: Reads a file.

              A quote.

            line
            block






            Shown.
        "#]],
    );
}

#[test]
fn tables_of_rest_are_lists() {
    check(
        "a.rst",
        "\
=====  ======
Name   Meaning
=====  ======
``a``  First
       goes on.
b      Second
=====  ======

+------+-------+
| Name | Says  |
+======+=======+
| x    | one   |
|      | two   |
+------+-------+
| y y  | three |
| z    | four  |
+------+-------+

.. list-table::
   :header-rows: 1

   * - Name
     - Says
   * - | ``x``
       | and more
     - One
       two.

.. csv-table::
   :header: A, B

   1, \"two, three\"
",
        expect![[r#"



            - `a` — First
              goes on.
            - b — Second





            - x — one
              two

            - y y z — three four








            - `x`
              and more
              — One
              two.




            - 1 — two, three
        "#]],
    );
}

#[test]
fn sentences_of_rest_stand_on_their_lines() {
    let text = "Title\n=====\n\n.. function:: f(x)\n   :noindex:\n\n   Does *x*. See :func:`g`\n   first.\n";
    let page = Page::read("docs/a.rst", text.to_owned(), 0);
    let mut listed = String::new();
    for section in &page.sections {
        listed += &format!("{} {}\n", section.outline.line, section.outline.heading);
        for range in section.units.iter().flat_map(|unit| &unit.sentences) {
            let line = page.text[..range.start].matches('\n').count() + 1;
            listed += &format!("  {line} {:?}\n", &page.text[range.clone()]);
        }
    }
    expect![[r#"
        1 Title
        4 `f(x)`
          7 "Does *x*."
          7 "See `g`\nfirst."
    "#]]
    .assert_eq(&listed);
}
