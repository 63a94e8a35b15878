//! Groups have the files of their members.

use craig_store::{Project, TrackedFile};

use crate::fixture::{EMBEDDER, TestStore, file};

fn generation(fixture: &TestStore, project: &Project) -> u64 {
    let generation = fixture.store.generation(project.id).unwrap().unwrap();
    assert_eq!(fixture.store.project(&project.name).unwrap().generation, generation);
    generation
}

#[test]
fn a_group_has_the_files_of_its_members_in_folders() {
    let mut fixture = TestStore::new();
    let (shop, mail) = (fixture.project("shop"), fixture.project("mail"));
    let same = || file("same.rs", "fn same() {}");
    fixture.apply(&shop, vec![file("src/pay.rs", "fn pay() {}"), same()], vec![]);
    fixture.apply(&mail, vec![file("send.rs", "fn send() {}"), same()], vec![]);
    let group = fixture.store.add_to_group("all", &[shop.clone(), mail.clone()]).unwrap();
    assert!(group.is_group() && !shop.is_group());

    // A file that both have is listed once, and can be read at both paths.
    assert_eq!(fixture.outline(&group), "mail/same.rs 1\nmail/send.rs 1\nshop/src/pay.rs 1\n");
    let paths = |files: Vec<TrackedFile>| files.into_iter().map(|file| file.path).collect::<Vec<_>>();
    assert_eq!(
        paths(fixture.store.tracked_files(group.id).unwrap()),
        ["mail/same.rs", "mail/send.rs", "shop/src/pay.rs"]
    );
    for path in ["mail/same.rs", "shop/same.rs"] {
        let text = fixture.store.file_text(group.id, path).unwrap().unwrap();
        assert_eq!((&*text.record.path, text.content.as_deref()), (path, Some("fn same() {}")));
        let tracked = fixture.store.tracked_file(group.id, path).unwrap().unwrap();
        assert_eq!((&*tracked.path, tracked.id), (path, text.record.id));
    }
    assert_eq!(fixture.store.tracked_file(group.id, "src/pay.rs").unwrap(), None);
    let pay = fixture.file_id(&shop, "src/pay.rs");
    let path =
        |project: &Project| fixture.store.load_outlines(project.id, &[pay]).unwrap()[0].record.path.clone();
    assert_eq!([path(&group), path(&shop)], ["shop/src/pay.rs", "src/pay.rs"]);
    let names = fixture.store.load_names(group.id, &[pay]).unwrap().remove(0).unpacked().unwrap();
    assert_eq!(names.record.path, "shop/src/pay.rs");
    assert_eq!(fixture.store.load_texts(group.id, &[pay]).unwrap()[0].record.path, "shop/src/pay.rs");
    let found = fixture.store.symbols_with(group.id, "pay", 9).unwrap();
    assert_eq!(
        found.iter().map(|(path, symbol)| format!("{path} {}", symbol.name)).collect::<Vec<_>>(),
        ["shop/src/pay.rs pay"]
    );
    assert_eq!(fixture.store.searchable_files(group.id).unwrap().len(), 3);
    assert_eq!(fixture.store.texts_without_vector(group.id, EMBEDDER).unwrap(), (0, 0));
    // It is no project of its own: no list of projects has it, and it is nobody's relative.
    assert_eq!(fixture.store.projects().unwrap().len(), 2);
    assert_eq!(fixture.store.groups().unwrap(), std::slice::from_ref(&group));
    assert_eq!(fixture.store.nearest_project(shop.id).unwrap().unwrap().name, "mail");
    assert_eq!(fixture.store.nearest_project(group.id).unwrap(), None);
}

#[test]
fn who_sees_a_project_sees_groups_of_such_alone_and_who_sees_a_group_its_members() {
    let mut fixture = TestStore::new();
    let [shop, mail, bank] = ["shop", "mail", "bank"].map(|name| fixture.project(name));
    fixture.store.add_to_group("money", &[shop.clone(), bank.clone()]).unwrap();
    fixture.store.add_to_group("all", &[shop, mail, bank]).unwrap();
    let shown = |names: &[&str]| {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        fixture.store.shown(&names).unwrap().into_iter().map(|project| project.name).collect::<Vec<_>>()
    };
    assert_eq!(shown(&["shop"]), ["shop"]);
    assert_eq!(shown(&["shop", "bank"]), ["shop", "bank", "money"]);
    assert_eq!(shown(&["money"]), ["shop", "bank", "money"]);
    assert_eq!(shown(&["mail", "money"]), ["shop", "mail", "bank", "money"]);
    assert_eq!(shown(&["all"]), ["shop", "mail", "bank", "all"]);
    assert_eq!(shown(&["nothing"]), Vec::<String>::new());
}

#[test]
fn every_change_of_a_member_is_one_of_its_groups() {
    let mut fixture = TestStore::new();
    let (shop, mail) = (fixture.project("shop"), fixture.project("mail"));
    fixture.apply(&shop, vec![file("a.rs", "fn a() {}")], vec![]);
    let group = fixture.store.add_to_group("all", std::slice::from_ref(&shop)).unwrap();
    let mut generations = vec![generation(&fixture, &group)];
    fixture.apply(&shop, vec![file("a.rs", "fn b() {}")], vec![]);
    assert_eq!(fixture.store.symbols_with(group.id, "", 9).unwrap()[0].1.name, "b");
    generations.push(generation(&fixture, &group));
    fixture.apply(&mail, vec![file("m.rs", "fn m() {}")], vec![]);
    assert_eq!(generation(&fixture, &group), generations[1], "it is no member");
    fixture.store.add_to_group("all", &[shop.clone(), mail.clone()]).unwrap();
    generations.push(generation(&fixture, &group));
    fixture.store.remove_from_group(group.id, mail.id).unwrap();
    fixture.store.remove_from_group(group.id, mail.id).unwrap();
    generations.push(generation(&fixture, &group));
    assert_eq!(fixture.outline(&group), "shop/a.rs 1\n");
    assert_eq!(fixture.store.groups_of(shop.id).unwrap()[0].name, "all");
    fixture.purge(&shop);
    generations.push(generation(&fixture, &group));
    assert_eq!(fixture.outline(&group), "");
    assert!(generations.is_sorted_by(|a, b| a < b), "{generations:?}");
    // Neither the group nor its end touches what the members have.
    fixture.store.add_to_group("all", std::slice::from_ref(&mail)).unwrap();
    fixture.purge(&group);
    assert_eq!(fixture.outline(&mail), "m.rs 1\n");
}

#[test]
fn a_group_in_a_group_adds_its_members() {
    let mut fixture = TestStore::new();
    let (shop, mail) = (fixture.project("shop"), fixture.project("mail"));
    let inner = fixture.store.add_to_group("inner", &[shop.clone(), mail.clone()]).unwrap();
    let outer = fixture.store.add_to_group("outer", &[inner, shop]).unwrap();
    let names: Vec<String> =
        fixture.store.members(outer.id).unwrap().into_iter().map(|member| member.name).collect();
    assert_eq!(names, ["mail", "shop"]);
    let taken = fixture.store.add_to_group("mail", &[mail]).unwrap_err();
    assert_eq!(taken.to_string(), "the name \"mail\" already belongs to the project of /src/mail");
}
