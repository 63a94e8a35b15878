use expect_test::expect;

use crate::check;

#[test]
fn ruby_binds_constants_attributes_mixins_and_own_calls() {
    check(
        r##"
//- /lib/shapes.rb
module Shapes
  SIDES = 4

  module Named
    def title
      "#{label} #{SIDES}"
    end
  end

  class Shape
    include Named
    attr_accessor :size

    def self.unit
      new(1)
    end

    def initialize(size)
      @size = size
    end

    def label
      size = area
      "shape #{size}"
    end

    def area
      @size * 2
    end
  end
end
//- /lib/square.rb
require_relative "shapes"

class Square < Shapes::Shape
  def area
    size * size
  end
end

# Square.unit
square = Square.new(3)
puts square.title, Shapes::Shape.unit.area
"##,
        &expect![[r#"
            module Shapes lib/shapes.rb:1
                lib/square.rb:3 read 85
                lib/square.rb:11 read 85
            constant Shapes.SIDES lib/shapes.rb:2
                lib/shapes.rb:6 read 99
            module Shapes.Named lib/shapes.rb:4
                lib/shapes.rb:11 implement 99
            method Shapes.Named.title lib/shapes.rb:5
                lib/square.rb:11 call 95
            class Shapes.Shape lib/shapes.rb:10
                lib/square.rb:3 inherit 95
                lib/square.rb:11 read 95
            field Shapes.Shape.size lib/shapes.rb:12
                lib/square.rb:5 read 99
                lib/square.rb:5 read 99
            method Shapes.Shape.unit lib/shapes.rb:14
                lib/square.rb:11 call 95
            field Shapes.Shape.@size lib/shapes.rb:19
                lib/shapes.rb:28 read 95
            method Shapes.Shape.label lib/shapes.rb:22
                lib/shapes.rb:6 call 70
            method Shapes.Shape.area lib/shapes.rb:27
                lib/shapes.rb:23 call 99
                lib/square.rb:4 override 90
                lib/square.rb:11 call 95
            class Square lib/square.rb:3
                lib/square.rb:10 call 99
            method Square.area lib/square.rb:4
                lib/shapes.rb:23 call 45
                lib/square.rb:11 call 45
        "#]],
    );
}

#[test]
fn ruby_modules_opened_often_private_methods_and_anonymous_classes() {
    let mut files = String::new();
    for at in 0..9 {
        files += &format!("//- /lib/part_{at}.rb\nmodule App\n  PART_{at} = {at}\nend\n");
    }
    files += r##"
//- /lib/checks.rb
module App
  class Check
    extend Forwardable
    def_delegators :@config, :strict

    def self.kind
      :check
    end

    def verify(value)
      self.class.kind
      verify!(value)
    end

    def verify!(value)
      Rack::Part.new(value)
    end
  end

  class Spec
    private

    def verify!
    end
  end

  class Part
  end
end
//- /spec/checks_spec.rb
describe App::Check do
  let(:check) do
    Class.new(App::Check) do
      def run(value)
        verify!(value)
      end
    end
  end

  it "verifies" do
    expect(App::PART_3).to eq(3)
    checks.each { |one| one.verify!(1) }
  end
end
"##;
    check(
        &files,
        &expect![[r#"
        module App lib/checks.rb:1
            spec/checks_spec.rb:1 read 85
            spec/checks_spec.rb:3 read 85
            spec/checks_spec.rb:11 read 85
        class App.Check lib/checks.rb:2
            spec/checks_spec.rb:1 read 95
            spec/checks_spec.rb:3 inherit 95
        method App.Check.kind lib/checks.rb:6
            lib/checks.rb:11 call 95
        method App.Check.verify! lib/checks.rb:15
            lib/checks.rb:12 call 99
            spec/checks_spec.rb:5 call 99
            spec/checks_spec.rb:12 call 70
        module App lib/part_0.rb:1
            spec/checks_spec.rb:1 read 85
            spec/checks_spec.rb:3 read 85
            spec/checks_spec.rb:11 read 85
        module App lib/part_1.rb:1
            spec/checks_spec.rb:1 read 85
            spec/checks_spec.rb:3 read 85
            spec/checks_spec.rb:11 read 85
        module App lib/part_2.rb:1
            spec/checks_spec.rb:1 read 85
            spec/checks_spec.rb:3 read 85
            spec/checks_spec.rb:11 read 85
        module App lib/part_3.rb:1
            spec/checks_spec.rb:1 read 85
            spec/checks_spec.rb:3 read 85
            spec/checks_spec.rb:11 read 85
        constant App.PART_3 lib/part_3.rb:2
            spec/checks_spec.rb:11 read 95
        module App lib/part_4.rb:1
            spec/checks_spec.rb:1 read 85
            spec/checks_spec.rb:3 read 85
            spec/checks_spec.rb:11 read 85
        module App lib/part_5.rb:1
            spec/checks_spec.rb:1 read 85
            spec/checks_spec.rb:3 read 85
            spec/checks_spec.rb:11 read 85
        module App lib/part_6.rb:1
            spec/checks_spec.rb:1 read 85
            spec/checks_spec.rb:3 read 85
            spec/checks_spec.rb:11 read 85
        module App lib/part_7.rb:1
            spec/checks_spec.rb:1 read 85
            spec/checks_spec.rb:3 read 85
            spec/checks_spec.rb:11 read 85
        module App lib/part_8.rb:1
            spec/checks_spec.rb:1 read 85
            spec/checks_spec.rb:3 read 85
            spec/checks_spec.rb:11 read 85
    "#]],
    );
}

#[test]
fn ruby_knows_what_examples_are_about() {
    check(
        r#"
//- /lib/store.rb
module Shop
  class Store
    attr_accessor :owner
    def open_at(hour)
    end
  end
  class Till
    def owner
    end
  end
  def self.new
    Store.new
  end
end
//- /spec/store_spec.rb
describe Shop::Store do
  let(:till) { Shop::Till.new }
  before do
    @other = described_class.new
  end
  def helper
  end
  it "opens" do
    subject.owner = "A"
    till.owner
    @other.owner
    Shop.new.owner
    helper
  end
end
//- /spec/other_spec.rb
describe Shop::Till do
  it { helper }
end
"#,
        &expect![[r#"
            module Shop lib/store.rb:1
                spec/other_spec.rb:1 read 85
                spec/store_spec.rb:1 read 85
                spec/store_spec.rb:2 read 85
                spec/store_spec.rb:12 call 85
            class Shop.Store lib/store.rb:2
                lib/store.rb:12 call 99
                spec/store_spec.rb:1 read 95
            field Shop.Store.owner lib/store.rb:3
                spec/store_spec.rb:9 write 95
                spec/store_spec.rb:11 read 95
                spec/store_spec.rb:12 read 95
            class Shop.Till lib/store.rb:7
                spec/other_spec.rb:1 read 95
                spec/store_spec.rb:2 call 95
            method Shop.Till.owner lib/store.rb:8
                spec/store_spec.rb:10 call 95
            function helper spec/store_spec.rb:6
                spec/store_spec.rb:13 call 99
        "#]],
    );
}

#[test]
fn ruby_follows_hooks_of_modules() {
    check(
        r#"
//- /lib/base.rb
module Base
  module Shared
    def start
    end
  end
  module ClassMethods
    def command
    end
  end
  def self.included(base)
    base.extend(Shared)
  end
end
class Tool
  include Base
  command
end
//- /test/tool_test.rb
class ToolTest < Minitest::Test
  def test_start
    Tool.start
    tool = Class.new(Tool)
    tool.start
  end
end
"#,
        &expect![[r#"
            module Base lib/base.rb:1
                lib/base.rb:15 implement 99
            module Base.Shared lib/base.rb:2
                lib/base.rb:11 read 99
            method Base.Shared.start lib/base.rb:3
                test/tool_test.rb:3 call 95
                test/tool_test.rb:5 call 95
            method Base.ClassMethods.command lib/base.rb:7
                lib/base.rb:16 call 99
            class Tool lib/base.rb:14
                test/tool_test.rb:3 read 85
                test/tool_test.rb:4 read 85
        "#]],
    );
}

#[test]
fn ruby_weighs_what_a_bare_call_may_mean() {
    check(
        r#"
//- /lib/routes.rb
module Routes
  module ClassMethods
    def on(path, name)
    end
    def plugin(name)
    end
  end
  module InstanceMethods
    def opts
    end
  end
end
//- /lib/other.rb
module Other
  module ClassMethods
    def opts
    end
    def plugin(name)
      super
    end
  end
  module InstanceMethods
    def render
      opts
    end
  end
  class Signal
    attr_reader :on
  end
end
//- /test/routes_test.rb
Klass = build do
  plugin :other
  on "/", :root
end
class Fixture
  def save
  end
end
//- /lib/store.rb
class Store
  def run(item)
    item.save
  end
end
"#,
        &expect![[r#"
            method Routes.ClassMethods.on lib/routes.rb:3
                test/routes_test.rb:3 call 70
            method Routes.ClassMethods.plugin lib/routes.rb:5
                test/routes_test.rb:2 call 70
            method Routes.InstanceMethods.opts lib/routes.rb:9
                lib/other.rb:11 call 70
        "#]],
    );
}

#[test]
fn ruby_reads_symbols_that_name_methods() {
    check(
        r#"
//- /lib/form.rb
Fields = Struct.new(:name, :size)
Options = Fields.new(:width, :height)
class Box < Struct.new(:depth)
end
class Form
  before_save :check_all
  attr_reader :title
  def title=(title)
    @title = title
  end
  def check_all
  end
  alias_method :check, :check_all
  def widths
    [Form.new].each(&:check_all)
    Options.new.width + Box.new.depth
    Form.new.title
    Form.new.title = "a"
  end
end
"#,
        &expect![[r#"
            class Fields lib/form.rb:1
                lib/form.rb:2 call 99
            class Options lib/form.rb:2
                lib/form.rb:16 call 99
            field Options.width lib/form.rb:2
                lib/form.rb:16 read 95
            class Box lib/form.rb:3
                lib/form.rb:16 call 99
            field Box.depth lib/form.rb:3
                lib/form.rb:16 read 95
            class Form lib/form.rb:5
                lib/form.rb:15 call 99
                lib/form.rb:17 call 99
                lib/form.rb:18 call 99
            field Form.title lib/form.rb:7
                lib/form.rb:17 read 95
                lib/form.rb:18 write 95
            method Form.title lib/form.rb:8
                lib/form.rb:17 read 95
                lib/form.rb:18 write 95
            method Form.check_all lib/form.rb:11
                lib/form.rb:6 read 95
                lib/form.rb:13 read 99
                lib/form.rb:15 call 95
        "#]],
    );
}

#[test]
fn ruby_leaves_what_the_library_and_tests_bring() {
    check(
        r#"
//- /lib/params.rb
module Params
  class Hash
  end
  module Routing
    def get(path)
    end
    def mount(app)
    end
  end
  class Store
    def add_item(item)
    end
    def self.of(value)
      value.is_a?(Hash)
    end
  end
end
//- /spec/params_spec.rb
shared_examples "a store" do
  let(:store) { Params::Store.new }
  it "adds" do
    store.add_item Hash.new
    get "/items"
    build { mount Object }
  end
end
"#,
        &expect![[r#"
            module Params lib/params.rb:1
                spec/params_spec.rb:2 read 85
            class Params.Hash lib/params.rb:2
                lib/params.rb:14 read 99
            method Params.Routing.get lib/params.rb:5
                spec/params_spec.rb:5 call 23
            method Params.Routing.mount lib/params.rb:7
                spec/params_spec.rb:6 call 70
            class Params.Store lib/params.rb:10
                spec/params_spec.rb:2 call 95
            method Params.Store.add_item lib/params.rb:11
                spec/params_spec.rb:4 call 95
        "#]],
    );
}

#[test]
fn a_block_takes_what_the_method_yields() {
    check(
        r"
//- /s.rb
class Store
  def save(x)
    x
  end

  def self.open
    yield new, 1
  end

  def self.use(&block)
    block.call(Item.new, Store.new)
  end

  def each
    @lock.synchronize { yield self }
  end

  def twice
    yield
  end
end

class Item
  def save(x)
    x
  end
end
//- /a.rb
Store.open { |s| s.save(1) }
Store.use do |item, store|
  item.save(2)
  store.save(3)
end
Store.new.each { |s, t| s.save(4) }
Store.new.twice { |s| s.save(5) }
[Item.new].each { |i| i.save(6) }
Item.new.tap { |i| i.save(7) }
Store.open(&:save)
",
        &expect![[r#"
            class Store s.rb:1
                a.rb:1 read 85
                a.rb:2 read 85
                a.rb:6 call 85
                a.rb:7 call 85
                a.rb:10 read 85
                s.rb:11 call 99
            method Store.save s.rb:2
                a.rb:1 call 95
                a.rb:4 call 95
                a.rb:6 call 95
                a.rb:7 call 35
                a.rb:10 call 95
            method Store.open s.rb:6
                a.rb:1 call 95
                a.rb:10 call 95
            method Store.use s.rb:10
                a.rb:2 call 95
            method Store.each s.rb:14
                a.rb:6 call 95
            method Store.twice s.rb:18
                a.rb:7 call 95
            class Item s.rb:23
                a.rb:8 call 85
                a.rb:9 call 85
                s.rb:11 call 99
            method Item.save s.rb:24
                a.rb:3 call 95
                a.rb:7 call 35
                a.rb:8 call 95
                a.rb:9 call 95
        "#]],
    );
}

#[test]
fn delegated_methods_are_those_of_the_object() {
    check(
        r#"
//- /m.rb
class Store
  def save(x)
    x
  end

  def size
  end

  def self.open
  end
end

class Other
  def save(x)
  end

  def size
  end
end

class A
  extend Forwardable
  def_delegators :@store, :save
  def_delegator :@store, :size, :length
  delegate :size, to: :store, prefix: true
  delegate :open, to: "Store"
  attr_reader :store

  def initialize
    @store = Store.new
  end
end

a = A.new
a.save(1)
a.length
a.store_size
"#,
        &expect![[r#"
            class Store m.rb:1
                m.rb:26 read 99
                m.rb:30 call 99
            method Store.save m.rb:2
                m.rb:23 call 95
            method Store.size m.rb:6
                m.rb:24 call 95
                m.rb:25 call 95
            method Store.open m.rb:9
                m.rb:26 call 95
            class A m.rb:21
                m.rb:34 call 99
            method A.save m.rb:23
                m.rb:35 call 95
            method A.length m.rb:24
                m.rb:36 call 95
            method A.store_size m.rb:25
                m.rb:37 call 95
            field A.store m.rb:27
                m.rb:25 read 95
            field A.@store m.rb:30
                m.rb:23 read 95
                m.rb:24 read 95
        "#]],
    );
}

#[test]
fn records_are_found_by_associations_and_finders() {
    check(
        r#"
//- /m.rb
class Item < ApplicationRecord
  belongs_to :cart
  scope :open, -> { where(open: true) }

  def ship
  end
end

class Category < ApplicationRecord
  def ship
  end
end

class Cart < ApplicationRecord
  has_many :items, dependent: :destroy
  has_many :old_ones, class_name: "Item"
  has_many :categories
  has_one :parent, class_name: 'Cart'
  belongs_to :owner, polymorphic: true

  def go
    items.each { |i| i.ship }
    items.where(a: 1).order(:b).first.ship
    old_ones.map(&:ship)
    categories.find(1).ship
    parent.items.last.ship
    owner.ship
    Item.find(1).ship
    Item.where(a: 1).each { |i| i.ship }
    Item.find_by(a: 1).cart.go
    Item.open.each { |i| i.ship }
    Item.find_each { |i| i.ship }
  end
end
//- /other.rb
class Registry
  def self.find(name)
    TABLE[name]
  end

  def ship
  end
end

Registry.find(1).ship
"#,
        &expect![[r#"
            class Item m.rb:1
                m.rb:28 read 99
                m.rb:29 read 99
                m.rb:30 read 99
                m.rb:31 read 99
                m.rb:32 read 99
            field Item.cart m.rb:2
                m.rb:30 read 95
            method Item.open m.rb:3
                m.rb:31 call 95
            method Item.ship m.rb:5
                m.rb:22 call 95
                m.rb:23 call 95
                m.rb:24 call 95
                m.rb:26 call 95
                m.rb:27 call 23
                m.rb:28 call 95
                m.rb:29 call 95
                m.rb:31 call 95
                m.rb:32 call 95
            method Category.ship m.rb:10
                m.rb:25 call 95
                m.rb:27 call 23
            field Cart.items m.rb:15
                m.rb:22 read 99
                m.rb:23 read 99
                m.rb:26 read 95
            field Cart.old_ones m.rb:16
                m.rb:24 read 99
            field Cart.categories m.rb:17
                m.rb:25 read 99
            field Cart.parent m.rb:18
                m.rb:26 read 99
            field Cart.owner m.rb:19
                m.rb:27 read 99
            method Cart.go m.rb:21
                m.rb:30 call 95
            class Registry other.rb:1
                other.rb:10 read 99
            method Registry.find other.rb:2
                other.rb:10 call 95
            method Registry.ship other.rb:6
                m.rb:27 call 23
                other.rb:10 call 95
        "#]],
    );
}

#[test]
fn symbols_name_methods_that_are_sent() {
    check(
        r#"
//- /m.rb
class M
  before_action :check, if: :ready?, only: [:go]
  rescue_from Failed, with: :failed

  def check
  end

  def ready?
  end

  def failed
  end

  def open_it
  end

  def go(other)
    send(:open_it)
    public_send("open_it")
    [1].each(&method(:open_it))
    M.new.try(:open_it)
    other.send(:open_it)
    send(other)
  end
end

class Decoy
  def open_it(x)
  end

  def check(x)
  end
end
"#,
        &expect![[r#"
            class M m.rb:1
                m.rb:21 call 99
            method M.check m.rb:5
                m.rb:2 read 95
            method M.ready? m.rb:8
                m.rb:2 read 95
            method M.failed m.rb:11
                m.rb:3 read 95
            method M.open_it m.rb:14
                m.rb:18 call 99
                m.rb:19 call 99
                m.rb:20 call 99
                m.rb:21 call 95
                m.rb:22 call 35
            method Decoy.open_it m.rb:28
                m.rb:22 call 35
        "#]],
    );
}
