mod corpus;
mod properties;
mod rest;

use expect_test::{Expect, expect};

use super::*;

fn check(path: &str, text: &str, expected: Expect) {
    let rendered = to_markdown(path, text);
    assert_eq!(rendered.split('\n').count(), text.split('\n').count());
    expected.assert_eq(&rendered);
}

#[test]
fn definitions_of_markdown_are_entries() {
    check(
        "docs/tool.md",
        "\
# OPTIONS

**-n**, **\\--length** _N_
:   Only read _N_ bytes.
    Of a file.

    An example.

Term

:   Its text.

Another term
: with one blank and `code`.
:no definition
- entry
: text
",
        expect![[r#"
            # OPTIONS

            - **-n**, **\--length** _N_:
              Only read _N_ bytes.
            Of a file.

            An example.

            - Term:

              Its text.

            - Another term:
              with one blank and `code`.
            :no definition
            - entry
            : text
        "#]],
    );
}

#[test]
fn asciidoc_is_markdown() {
    check(
        "README.adoc",
        "\
= The Title
Somebody <x@y.org>
v1.0
:name: Craig
:long: a \\
 b

[[start]]
== Start with {name}

NOTE: Call `+run()+` and *never* xref:stop.adoc#x[`stop`]; <<start,begin>> at
https://x.org[the site] or link:a.html[here]. \"`Quoted`\" {unknown}. +
Next.

<script> is no tag, 1 < 2.

.Example
[source,java,indent=0]
----
int x; // <1>

----
<1> A number.
<2> Another.

[NOTE]
====
Inside.
====

* one
goes on
** two
+
----
code
----
* three

. first
- other

name:: What it is.
`x`::
  The x.

 literal

// comment
include::x.adoc[]
image::x.png[]
ifdef::x[]
endif::[]

[cols=\"1,1\",options=\"header\"]
|===
|Name |Says

|`a`
|First
goes on.

|b |Second
|===

[source,bash]
ls -l

----
never closed
",
        expect![[r##"
            # The Title







            ## Start with Craig

            Call `run()` and **never** `stop`; begin at
            [the site](https://x.org) or here. "Quoted" {unknown}.
            Next.

            \<script> is no tag, 1 < 2.

            **Example**

            ```java
            int x; // <1>

            ```
            - A number.
            - Another.



            Inside.


            - one
              goes on
              - two

                ```
                code
                ```
            - three

              - first
                - other

                  - **name**: What it is.
                  - `x`:
                    The x.

            literal











            - `a`
              — First
              goes on.

            - b — Second


            ```bash
            ls -l
            ```
            ```
            never closed
        "##]],
    );
}

#[test]
fn mdx_is_markdown() {
    check(
        "a.mdx",
        "\
---
title: A
---
import Tabs from '@theme/Tabs'
import {
  A,

  B
} from 'x'
export const x = {
  a: 1
}

# Title {/* id */}

import it from the shelf, and export nothing.

<Tabs
  values={[{a: '>'}]}
>
  <TabItem value=\"a\">

    Text with <b>tags</b> and <Icon name=\"x\" />{' '}{\"a string\"}.

    ```js
    import x from 'y' // <Tabs>
    ```

  </TabItem>
</Tabs>

{/* a comment
of two lines */}
If `a < b` and a < b or <T, this stays; `<Tabs>` too.

:::note Title
Care.
:::
",
        expect![[r#"
            ---
            title: A
            ---










            # Title

            import it from the shelf, and export nothing.






            Text with tags and  a string.

            ```js
            import x from 'y' // <Tabs>
            ```






            If `a < b` and a < b or <T, this stays; `<Tabs>` too.


            Care.

        "#]],
    );
}

#[test]
fn dialects_of_markdown_are_markdown() {
    check(
        "a.md",
        "\
# Title {#id}

[TOC]

::: tip Title
Text.
:::

!!! note \"Title\"
    The body.

    - one

        deeper

    ```py
    x
    ```

=== \"Tab\"

    !!! tip
        Nested.

!!! BE CAREFUL: nothing
=== 'enum' is none.

Returns {:ok, x}. Non-{.js,.ts} ${x}`y`. After {func}`~a.b`, `{%x%}` and {% tag %}text{: .class }.

    !!! code {% tag %}

```{note} Care
:class: x
Inside.
```

```{code-block} python
:linenos:
x = 1
```

```{py:function} f(x)
Does it.
```

```{r}
x
```

::: app.module.f
    options:
      x: 1

> [!NOTE]
> Alert.

{% highlight js %}
x {% y %}
{% endhighlight %}

{{< note >}}Short.{{< /note >}}

(target)=
/// tip | Title
Slashes.
///
",
        expect![[r#"
            # Title




            Text.



            The body.

            - one

                deeper

            ```py
            x
            ```




            Nested.

            !!! BE CAREFUL: nothing
            === 'enum' is none.

            Returns {:ok, x}. Non-{.js,.ts} ${x}`y`. After `b`, `{%x%}` and text.

                !!! code {% tag %}

            Care

            Inside.


            ```python

            x = 1
            ```

            ## `f(x)`
            Does it.


            ```{r}
            x
            ```





            >
            > Alert.

            ```js
            x {% y %}
            ```

            Short.



            Slashes.

        "#]],
    );
}

#[test]
fn plain_markdown_is_borrowed() {
    let text = "---\ntitle: {% x %}\n---\n# A\r\n\r\n- a\n\n      code {% x %}\n\n```js\n{% x %}\n::: tip\n";
    assert!(matches!(to_markdown("a.md", text), Cow::Borrowed(_)));
    assert!(matches!(to_markdown("a", ""), Cow::Borrowed("")));
}

#[test]
fn code_of_rest_in_a_page_of_markdown_ends_with_its_fence() {
    let sample = "```{eval-rst}\n.. click:example::\n    def less():\n\n        pass\n```\n";
    let page = format!("# Pager\n\n{sample}\nUse it instead:\n\n{sample}\nFor more.\n");
    let library = crate::library::Library::of_texts(vec![("a.md".into(), page)]);
    let (text, section) = (&library.place(0).page.text, library.place(0).section);
    let sentences = section.units.iter().flat_map(|unit| &unit.sentences);
    let sentences: Vec<_> = sentences.map(|bytes| &text[bytes.clone()]).collect();
    assert_eq!((sentences, section.fences.len()), (vec!["Use it instead:", "For more."], 2));
}
