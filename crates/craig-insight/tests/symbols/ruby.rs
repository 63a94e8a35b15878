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
                lib/square.rb:10 read 99
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
