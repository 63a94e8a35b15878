use expect_test::expect;

use crate::check;

#[test]
fn csharp_binds_namespaces_members_properties_and_overrides() {
    check(
        r##"
//- /Shapes/Shape.cs
namespace App.Shapes;

public interface ISized
{
    int Size { get; }
    int Area(int scale);
}

public abstract class Shape : ISized
{
    protected readonly string _name;
    public int Size { get; set; }

    protected Shape(string name)
    {
        _name = name;
    }

    public virtual int Area(int scale) => Size * scale;
    public static Shape Unit() => new Square("unit");
}
//- /Shapes/Square.cs
namespace App.Shapes
{
    public partial class Square : Shape
    {
        public Square(string name) : base(name) { }
        public override int Area(int scale) => Size * Size * scale;
    }
}
//- /Program.cs
using App.Shapes;
using Short = App.Shapes.Square;

namespace App.Main
{
    public static class Extensions
    {
        public static int Twice(this Shape shape) => shape.Area(2);
    }

    public class Program
    {
        private readonly ISized _sized = new Short("a") { Size = 3 };

        // Shape.Unit()
        public int Run()
        {
            var shape = Shape.Unit();
            return shape.Twice() + _sized.Area(1) + _sized.Size + "Area".Length;
        }
    }
}
"##,
        &expect![[r#"
            method Extensions.Twice Program.cs:8
                Program.cs:19 call 85
            field Program._sized Program.cs:13
                Program.cs:19 read 99
                Program.cs:19 read 99
            interface ISized Shapes/Shape.cs:3
                Program.cs:13 type 95
                Shapes/Shape.cs:9 implement 99
            field ISized.Size Shapes/Shape.cs:5
                Program.cs:19 read 95
                Shapes/Shape.cs:12 override 90
            method ISized.Area Shapes/Shape.cs:6
                Program.cs:19 call 95
                Shapes/Shape.cs:19 override 90
                Shapes/Square.cs:6 override 90
            class Shape Shapes/Shape.cs:9
                Program.cs:8 type 95
                Program.cs:18 type 95
                Shapes/Shape.cs:20 type 99
                Shapes/Square.cs:3 inherit 99
            field Shape._name Shapes/Shape.cs:11
                Shapes/Shape.cs:16 write 99
            field Shape.Size Shapes/Shape.cs:12
                Program.cs:13 write 95
                Program.cs:19 read 70
                Shapes/Shape.cs:19 read 99
                Shapes/Square.cs:6 read 99
                Shapes/Square.cs:6 read 99
            method Shape.Area Shapes/Shape.cs:19
                Program.cs:8 call 95
                Program.cs:19 call 45
                Shapes/Square.cs:6 override 90
            method Shape.Unit Shapes/Shape.cs:20
                Program.cs:18 call 95
            class Square Shapes/Square.cs:3
                Program.cs:2 import 99
                Program.cs:13 call 99
                Shapes/Shape.cs:20 call 99
            constructor Square.Square Shapes/Square.cs:5
                Program.cs:13 call 99
                Shapes/Shape.cs:20 call 99
            method Square.Area Shapes/Square.cs:6
                Program.cs:8 call 45
                Program.cs:19 call 45
        "#]],
    );
}

#[test]
fn generic_types_differ_by_the_number_of_their_arguments() {
    check(
        r##"
//- /Pages/List.cs
namespace App.Pages;

public class List
{
    public static int Count = 0;
}

public class Box<T>
{
    public T Held { get; set; }
}

public class Box
{
    public static int Size = 1;
}
//- /Use.cs
using System.Collections.Generic;
using App.Pages;

namespace App;

public class Use
{
    private readonly List<Box<int>> _all = new List<Box<int>>();
    private Dictionary<string, List<int>> _by = new();

    public int Run(Box<string> box)
    {
        var page = new List();
        var other = typeof(Box<>);
        return List.Count + Box.Size + box.Held.Length;
    }
}
"##,
        &expect![[r#"
            class List Pages/List.cs:3
                Use.cs:13 call 95
                Use.cs:15 type 95
            field List.Count Pages/List.cs:5
                Use.cs:15 read 95
            class Box Pages/List.cs:8
                Use.cs:8 type 95
                Use.cs:8 type 95
                Use.cs:11 type 95
                Use.cs:14 type 95
            field Box.Held Pages/List.cs:10
                Use.cs:15 read 95
            class Box Pages/List.cs:13
                Use.cs:15 type 95
            field Box.Size Pages/List.cs:15
                Use.cs:15 read 95
        "#]],
    );
}

#[test]
fn generic_types_give_members_what_they_are_applied_to() {
    check(
        "
//- /Store.cs
namespace Shop;

public class Store { public void Save(int row) {} }

public class Decoy { public void Save(int row) {} }
//- /Base.cs
using System.Collections.Generic;

namespace Shop;

public abstract class Base<T> where T : class
{
    protected T Item;
    public T Get() => Item;
    public IEnumerable<T> All() => null;
}

public class Stores : Base<Store>
{
    void Flush()
    {
        Item.Save(1);
        Get().Save(2);
    }
}
//- /App.cs
using Other.Injection;

namespace Shop;

class App
{
    void Go(Stores stores, Base<Store> stock, IServiceProvider services)
    {
        stores.Get().Save(3);
        stock.Get().Save(4);
        foreach (var store in stock.All()) store.Save(5);
        services.GetRequiredService<Store>().Save(6);
    }
}
",
        &expect![[r#"
            class Base Base.cs:5
                App.cs:7 type 99
                Base.cs:12 inherit 99
            field Base.Item Base.cs:7
                Base.cs:8 read 99
                Base.cs:16 read 99
            method Base.Get Base.cs:8
                App.cs:9 call 95
                App.cs:10 call 95
                Base.cs:17 call 99
            method Base.All Base.cs:9
                App.cs:11 call 95
            class Stores Base.cs:12
                App.cs:7 type 99
            class Store Store.cs:3
                App.cs:7 type 99
                App.cs:12 type 99
                Base.cs:12 type 99
            method Store.Save Store.cs:3
                App.cs:9 call 95
                App.cs:10 call 95
                App.cs:11 call 95
                App.cs:12 call 95
                Base.cs:16 call 95
                Base.cs:17 call 95
        "#]],
    );
}
