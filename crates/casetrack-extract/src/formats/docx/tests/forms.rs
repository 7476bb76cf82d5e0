//! The texts that forms show: content controls and legacy form fields.

use super::texts;

fn control(properties: &str, content: &str) -> String {
    format!("<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>")
}

fn run(text: &str) -> String {
    format!("<w:r><w:t xml:space='preserve'>{text}</w:t></w:r>")
}

#[test]
fn placeholders_are_marked_wherever_the_control_stands() {
    const PROMPT: &str = "<w:showingPlcHdr/>";
    let paragraph = |content: &str| format!("<w:p>{content}</w:p>");
    let prompt = run("Choose an item.");
    let inline = control(PROMPT, &prompt);
    let cell = |content: &str| format!("<w:tc>{content}</w:tc>");
    for (body, expected) in [
        (paragraph(&(run("Deposit: ") + &inline + &run("."))), vec!["Deposit: [not filled in: Choose an item.]."]),
        (control(PROMPT, &(paragraph(&prompt) + &paragraph(""))), vec!["[not filled in: Choose an item.]"]),
        (
            format!(
                "<w:tbl><w:tr>{}{}</w:tr></w:tbl>",
                cell(&paragraph(&run("Rent"))),
                control(PROMPT, &cell(&paragraph(&prompt)))
            ),
            vec!["Rent\t[not filled in: Choose an item.]"],
        ),
        (
            format!("<w:tbl>{}</w:tbl>", control(PROMPT, &format!("<w:tr>{}</w:tr>", cell(&paragraph(&prompt))))),
            vec!["[not filled in: Choose an item.]"],
        ),
        // A filled-in control next to, around and inside an empty one.
        (
            paragraph(&(inline.clone() + &run(" ") + &control("", &run("Oslo")))),
            vec!["[not filled in: Choose an item.] Oslo"],
        ),
        (control("", &paragraph(&(run("Law: ") + &inline))), vec!["Law: [not filled in: Choose an item.]"]),
        (control(PROMPT, &paragraph(&inline)), vec!["[not filled in: Choose an item.]"]),
        (paragraph(&control("<w:showingPlcHdr w:val='0'/>", &run("Norway"))), vec!["Norway"]),
        (paragraph(&(run("Name:") + &control(PROMPT, &run("   ")) + &run("end"))), vec!["Name:   end"]),
    ] {
        assert_eq!(texts(&body), expected, "{body}");
    }
}

#[test]
fn the_choice_of_a_drop_down_list_is_shown_once() {
    let field = |data: &str, result: &str| {
        format!(
            "<w:p>{}<w:r><w:fldChar w:fldCharType='begin'><w:ffData><w:name w:val='Law'/><w:enabled/><w:ddList>{data}\
             <w:listEntry w:val='England'/><w:listEntry w:val='New York'/><w:listEntry w:val='Norway'/></w:ddList></w:ffData>\
             </w:fldChar></w:r><w:r><w:instrText> FORMDROPDOWN </w:instrText></w:r>{result}\
             <w:r><w:fldChar w:fldCharType='end'/></w:r>{}</w:p>",
            run("Law: "),
            run(".")
        )
    };
    let result = |text: &str| format!("<w:r><w:fldChar w:fldCharType='separate'/></w:r>{}", run(text));
    for (data, result, expected) in [
        ("<w:result w:val='2'/>", String::new(), "Law: Norway."),
        ("<w:default w:val='1'/>", String::new(), "Law: New York."),
        ("<w:result w:val='0'/><w:default w:val='1'/>", String::new(), "Law: England."),
        ("", result(""), "Law: England."),
        ("<w:result w:val='2'/>", result("Norway"), "Law: Norway."),
        ("<w:result w:val='9'/>", String::new(), "Law: ."),
    ] {
        assert_eq!(texts(&field(data, &result)), [expected], "{data} {result}");
    }
    let nested = "<w:p><w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText> IF </w:instrText></w:r>\
        <w:r><w:fldChar w:fldCharType='begin'><w:ffData><w:ddList><w:listEntry w:val='hidden'/></w:ddList></w:ffData></w:fldChar></w:r>\
        <w:r><w:fldChar w:fldCharType='end'/></w:r><w:r><w:fldChar w:fldCharType='separate'/></w:r><w:r><w:t>shown</w:t></w:r>\
        <w:r><w:fldChar w:fldCharType='end'/></w:r></w:p>";
    assert_eq!(texts(nested), ["shown"]);
}
