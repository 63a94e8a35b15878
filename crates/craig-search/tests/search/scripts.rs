//! Questions and texts in other scripts than the Latin one, and other spellings of the same letters.

use expect_test::expect;

use crate::fixture::{check, distractors};

const FILES: &str = "
//- /src/session.py
def purge(now):
    # 会话在三十分钟无操作后过期，并从缓存中删除
    drop(now)
//- /src/mail.py
def send_welcome(user):
    # 新用户注册后发送欢迎邮件
    smtp.send(user)
//- /src/pay.py
def refund(order):
    # 注文をキャンセルすると代金を払い戻す
    gateway.refund(order)
//- /src/ship.py
def track(parcel):
    # 배송 상태를 조회하고 고객에게 알림을 보낸다
    return carrier.status(parcel)
//- /src/stock.py
def stock(item):
    # ตรวจสอบจำนวนสินค้าคงเหลือในคลังสินค้า
    return db.stock(item)
//- /src/tax.py
def vat(order):
    # Рассчитывает налог на добавленную стоимость
    return order.net
//- /src/login.py
def login(user):
    # يتحقق من كلمة المرور ويفتح جلسة جديدة للمستخدم
    return check(user)
//- /src/report.py
def report(month):
    # מפיק דוח חודשי של ההכנסות
    return month
//- /src/road.py
def road(start):
    # Βρίσκει τον ΣΥΝΤΟΜΟ δρόμο
    return start
//- /src/reminder.py
def remind(bill):
    # Verschickt eine Mahnung, wenn die Rechnung überfällig ist
    return mail(bill)
//- /src/status.py
SHIPPED = '🚀'
";

#[test]
fn texts_in_every_script_are_found() {
    let files = distractors(40) + FILES;
    check(
        &format!(
            "{files}
//- query: 会话什么时候过期 | limit=1
//- query: 会 | limit=1
//- query: 注册 | limit=1
//- query: 代金を払い戻す処理はどこですか | limit=1
//- query: 배송상태를 어디서 조회하나요 | limit=1
//- query: สินค้าคงเหลือ | limit=1
//- query: как считается налога | limit=1
//- query: مرور | limit=1
//- query: הדוח החודשי | limit=1
//- query: σύντομος δρόμος | limit=1
//- query: 🚀 | limit=1
"
        ),
        expect![[r#"
            会话什么时候过期 | limit=1
              1 src/session.py:1-3 function purge
            会 | limit=1
              1 src/session.py:1-3 function purge
            注册 | limit=1
              1 src/mail.py:1-3 function send_welcome
            代金を払い戻す処理はどこですか | limit=1
              1 src/pay.py:1-3 function refund
            배송상태를 어디서 조회하나요 | limit=1
              1 src/ship.py:1-3 function track
            สินค้าคงเหลือ | limit=1
              1 src/stock.py:1-3 function stock
            как считается налога | limit=1
              1 src/tax.py:1-3 function vat
            مرور | limit=1
              1 src/login.py:1-3 function login
            הדוח החודשי | limit=1
              1 src/report.py:1-3 function report
            σύντομος δρόμος | limit=1
              1 src/road.py:1-3 function road
            🚀 | limit=1
              1 src/status.py:1-1 constant SHIPPED
        "#]],
    );
}

#[test]
fn spellings_of_letters_are_one() {
    let files = distractors(40) + FILES;
    check(
        &format!(
            "{files}
//- query: u\u{308}berfa\u{308}llig | limit=1
//- query: ueberfaellig | limit=1
//- query: UBERFALLIG | limit=1
//- query: ｓｅｎｄＷｅｌｃｏｍｅ | limit=1
//- query: ｷｬﾝｾﾙ | limit=1
//- query: send_welcome在哪里定义 | limit=1
//- query: НАЛОГ | limit=1
"
        ),
        expect![[r#"
            überfällig | limit=1
              1 src/reminder.py:1-3 function remind
            ueberfaellig | limit=1
              1 src/reminder.py:1-3 function remind
            UBERFALLIG | limit=1
              1 src/reminder.py:1-3 function remind
            ｓｅｎｄＷｅｌｃｏｍｅ | limit=1
              1 src/mail.py:1-3 function send_welcome
            ｷｬﾝｾﾙ | limit=1
              1 src/pay.py:1-3 function refund
            send_welcome在哪里定义 | limit=1
              1 src/mail.py:1-3 function send_welcome
            НАЛОГ | limit=1
              1 src/tax.py:1-3 function vat
        "#]],
    );
}
