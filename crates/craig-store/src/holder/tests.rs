use super::*;

#[test]
fn locks_are_read_as_the_kernel_lists_them() {
    let holder = |line| holder_of_byte(line, 77, 120);
    assert_eq!(holder("1: POSIX  ADVISORY  WRITE 4711 fd:01:77 120 120"), Some(4711));
    assert_eq!(holder("1: POSIX  ADVISORY  WRITE 4711 fd:01:77 0 EOF"), Some(4711));
    for other in [
        "1: POSIX  ADVISORY  READ  4711 fd:01:77 120 120",
        "1: POSIX  ADVISORY  WRITE 4711 fd:01:78 120 120",
        "1: POSIX  ADVISORY  WRITE 4711 fd:01:77 121 127",
        "1: -> POSIX  ADVISORY  WRITE 4711 fd:01:77 120 120",
        "",
    ] {
        assert_eq!(holder(other), None, "{other}");
    }
}

#[test]
fn a_process_is_named_and_one_that_is_stopped_is_called_so() {
    let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let named = process(child.id());
    let stop = std::process::Command::new("kill").args(["-STOP", &child.id().to_string()]).status();
    assert!(stop.unwrap().success());
    let state = || process(child.id());
    let stopped = (0..500).map(|_| (std::thread::sleep(std::time::Duration::from_millis(10)), state()));
    let stopped = stopped.map(|(_, text)| text).find(|text| text.ends_with("which is stopped"));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(named == format!("process {} (sleep)", child.id()) || named.ends_with("stopped"), "{named}");
    assert_eq!(stopped, Some(format!("process {} (sleep), which is stopped", child.id())));
}
